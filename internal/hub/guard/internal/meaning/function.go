package meaning

import "strings"

// functionWords hold a sentence together and mean little by themselves.
var functionWords = func() map[string]bool {
	m := make(map[string]bool, 256)
	for w := range strings.FieldsSeq(`a an the this that these those it its and or but so then than as at be been being am are is
		can could would will shall should may might must to of in on for from with by about into onto over under up down out off
		if when while because cos though just only even also too very really quite please oh ok okay hey hi well right um uh er erm
		you your yours yourself me my i we our us he she his her him they them their one some any all both each every other
		here there who whom which what how why where do does did done have has had having get gets got go goes going come
		let lets thats theres heres hes shes youre theyre ive weve youve ill well theyll its im id hed shed wed
		not no dont cant wont didnt doesnt isnt arent wasnt werent thing things something anything everything nothing
		now today again like much many lot lots bit little few way sort kind rather maybe perhaps actually jervis
		la le les de des du un une el los las un una der die das den dem ein eine il lo gli i w na z do van het een o os as y ar i r
		ka ki ke ko se ne mein hai ho lui`) {
		m[w] = true
	}
	return m
}()
