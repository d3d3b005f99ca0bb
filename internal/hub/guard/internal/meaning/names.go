package meaning

// givenNames are first names, so that a name said in small letters is seen as one. Names
// that are ordinary words too (will, mark, rose) count only where their place says so.
const givenNames = `
aaron abby abdul abigail abraham ada adam adele adrian agnes ahmed aidan aiden aisha alan alana albert
alejandro alessia alex alexa alexander alexandra alexis alfie alfred alice alicia alina alison aliyah alma alyssa amara amber
amelia amelie amina amir amy ana anastasia andre andrea andrei andrew andy angela angelica angus anika anita anna annabel annabelle
anne annie anthony antonio anya april archie ariana arjun arlo arnav arran arthur arun asher ash ashley astrid athena aubrey
audrey austin ava axel ayesha aylin bailey barbara barnaby barry beatrice bea becky bella ben benedict benjamin benji bernard beth bethany
bethan betty bianca bilal billie billy blake bob bobby bonnie brad bradley brandon brenda brian bridget brody brooke bruno bryony
cai caitlin caleb callum cameron camila carl carla carlos carmen caroline carter casey caspar catherine cathy cecilia celia cerys
charles charley charlie charlotte chelsea cheng chloe chris christian christina christopher ciara claire clara clare claudia clayton cleo
clive cody cole colin connor conor cooper corey cormac cristina crystal curtis cynthia daisy dale damian dan dana daniel daniela danielle danny
daphne darcey darcy daria darren dave david dean deborah debbie declan delilah denise dennis derek devon dexter dhruv diana diego dillon dina
dominic donna dora doris dorothy doug douglas duncan dylan eddie edgar edith edmund eduardo edward edwin effie eileen elaine eleanor elena
eli elias elijah elin elinor eliot elise eliza elizabeth ella elle ellen ellie elliot elliott ellis elodie elsa elsie emil emilia emily
emma emmanuel emmy emre enzo eric erica erik erin esme esmee esther ethan euan eva evan eve evelyn evie ewan ezra faith farah fatima
felicity felix fern fernando fia finlay finley finn fiona fletcher flo flora florence floyd frances francesca francis francesco frank frankie fraser fred freddie
frederick freya gabriel gabriella gabby gail gareth gary gavin gemma genevieve george georgia georgie georgina gerald gethin gina giorgio giulia gloria
gordon grace graham greta greg gregory gus guy gwen hamish hamza hana hanna hannah harold harper harriet harris harrison harry harvey hasan hassan hattie
hayden hayley heather hector heidi helen helena henry herbert hetty holly hope howard hudson hugh hugo ian ibrahim ida imani imogen ines ingrid
iona ira irene iris isaac isabel isabella isabelle isaiah isha isla ismail isobel ivan ivy izzy jack jackson jacob jacqueline jade jaden jake jakub james
jamie jan jana jane janet janice jasmine jason jasper javier jay jayden jean jed jeff jemima jen jenna jennifer jenny jeremy jess jesse jessica jill jim
jimmy joan joanna jodie joe joel joey johan john johnny jon jonah jonas jonathan jonny jordan jose joseph josephine josh joshua josie joy joyce juan
jude judith judy julia julian julie juliet june justin kai kamal kara karen karim karl kasia kate katherine kathleen kathryn katie katya kay kayla keira keith
kelly ken kenneth kerry kevin khadija kian kieran kim kirsty kit kitty klara kofi kyle lachlan laila lana lara lars laura lauren laurence layla leah lee
leila lena lennon lennox leo leon leonard leonardo leonie leroy lewis lexi liam libby lila lilian lilly lily linda lindsay lisa livia liz lizzie llew lloyd
logan lois lola lorenzo lorna lottie lou louie louis louisa louise luca lucas lucia lucy luis luka lukas luke luna lydia lyla lynn mabel maddie
maddy madeleine madison maggie maisie maja malcolm malik manuel mara marcel marcia marco marcus margaret margot maria mariam marie marina mario marion mark
marley marta martha martin martina marvin mary maryam mason mateo mateusz matilda matt matteo matthew matty maureen max maxwell maya megan mehmet mei melanie
melissa mia michael michelle miguel mike mikey mila miles millie milo mina miriam mo mohamed mohammed moira molly monica morgan morwenna moses muhammad
murray myles myra nadia nancy naomi natalia natalie natasha nathan nathaniel neil nell nellie nerys niall niamh nick nicky nicola nicholas nicole nigel
nikhil nina nita noah noel nora norah norman olga olive oliver olivia ollie omar orla orlando oscar oskar otis owain owen pablo paddy paige pam
pamela paolo parker patricia patrick paul paula pauline pedro peggy penelope penny percy pete peter petra phil philip philippa phoebe pia pippa piotr polly poppy
precious priya quentin rachel rafael rafe ralph ramona raphael raul ravi ray raymond rebecca reece reggie rehan rex reuben rhian rhiannon rhodri rhys ricardo richard
ricky riley rita rob robbie robert roberta robin rocco rodney roger rohan roman ronan ronnie rory rosa rosalind rosanna rose rosie ross rowan roxy roy ruben ruby
rudy rufus rupert russell ruth ryan sabrina sadie saffron saira sally salma sam samantha samir samuel sandra sanjay santiago sara sarah sasha saul savannah scarlett
scott sean sebastian selena selin serena seren seth shane shannon sharon shaun sheila shelley shirley shona sid siena sienna sierra silas simon siobhan sofia sofie
sonia sonny sophia sophie spencer stacey stan stanley stella stephanie stephen steve steven stewart stuart sue suki summer susan susanna susie suzanne sven sybil
sylvia tabitha talia tamara tamsin tanya tara tariq tasha tatiana ted teddy terry tess tessa thea theo theodore theresa thomas tia tilda tilly tim timmy timothy
tina tobias toby todd tom tommy tony tori tracey tracy travis trevor tristan trudy tyler uma umar una valentina valerie vanessa vera verity veronica vicky victor
victoria vihaan vikram vince vincent viola violet virginia vivian vivienne walter wanda warren wayne wendy wes wilbur wilf wilfred will william willow winnie
winston wojtek wyatt xander xavier yara yasmin yasmine yousef yuki yusuf yvonne zac zach zachary zack zahra zainab zak zane zara zayn zayd zelda zena zoe zofia zosia
carys sian ffion huw ieuan iolo mared osian tomos gruff lowri nia alys dafydd elis ioan macsen cerian angharad rhydian teifion
`

// wordNames are those of them that are words as well.
var wordNames = map[string]bool{
	"will": true, "mark": true, "rose": true, "april": true, "may": true, "june": true, "joy": true, "hope": true,
	"grace": true, "faith": true, "summer": true, "amber": true, "olive": true, "robin": true, "heather": true, "ivy": true, "violet": true, "ruby": true,
	"frank": true, "rob": true, "guy": true, "jack": true, "dale": true, "dean": true, "ray": true, "sue": true, "kit": true, "kits": true, "penny": true,
	"bob": true, "flora": true, "jade": true, "iris": true, "poppy": true, "willow": true, "fern": true, "sierra": true, "precious": true, "miles": true,
	"stan": true, "ash": true, "mo": true, "ken": true, "alexa": true, "siri": true, "max": true, "drew": true, "bill": true, "art": true, "pat": true, "austin": true,
	"georgia": true, "virginia": true, "victoria": true, "jordan": true, "chelsea": true, "florence": true, "savannah": true, "holly": true, "daisy": true, "tom": false,
	"saffron": true, "bailey": true, "una": true, "ada": true, "ana": false, "mara": true, "mina": true, "dan": false, "sid": false, "zelda": true, "ira": true, "roman": true, "cooper": true, "carter": true, "hudson": true, "parker": true, "mason": true, "murray": true, "lee": true, "kim": false, "cole": true, "blake": true, "rex": true, "ida": true, "nita": true, "jan": true, "pia": true, "mei": true, "dora": true, "crystal": true, "luna": true,
}
