package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/askhub/askhub/chat"
)

// folder writes files into a new folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// oldMessage is a message as the old host wrote it, so many minutes before chatDay.
func oldMessage(minutes int, author, text string) string {
	at := chat.Cursor(chatDay.Add(-time.Duration(minutes) * time.Minute).UnixMilli())
	m := chat.Message{Epoch: at, ID: "MSG-" + at.Time().Format("20060102-150405-") + fmt.Sprintf("%06x", minutes)}
	return fmt.Sprintf(`{"id":%q,"epoch":%d,"ts":%q,"author":%q,"text":%q}`, m.ID, m.Epoch, m.TS(), author, text)
}

func (h *chatHome) imports(c chatImportCmd, dir string) (importReport, error) {
	h.t.Helper()
	c.JSON = true
	root, err := os.OpenRoot(dir)
	if err != nil {
		h.t.Fatal(err)
	}
	defer root.Close()
	house := h.house
	if !c.Settings {
		house = nil
	}
	failed := c.take(h.env(), root.FS(), h.store, h.rules, house, h.now)
	var report importReport
	if err := json.Unmarshal(h.out.Bytes(), &report); err != nil {
		h.t.Fatalf("%v in %s", err, h.out.String())
	}
	return report, failed
}

func TestImportTakesAFolderOverOnce(t *testing.T) {
	h := newChatHome(t)
	dir := folder(t, map[string]string{
		string(threadA) + ".json": `{"thread":"` + string(threadA) + `","messages":[` + oldMessage(50*24*60, "operator", "long ago") + "," + oldMessage(9, "operator", "hi") + "," + oldMessage(8, "hermes", "Hello.") + `]}`,
		string(threadB) + ".json": `[` + oldMessage(7, "agent", "beep") + `]`,
		".htaccess":               "deny from all", "index.php": "", string(threadA) + ".json.tmp": "{", "x.tmp": "",
	})
	want := importReport{
		DryRun: true,
		Threads: []threadImported{
			{Thread: threadA, Added: 2, Old: 1}, {Thread: threadB, Added: 1},
		},
		Remarks: []remark{{File: "index.php", Why: "it is no thread's file"}},
		Added:   3, Old: 1,
	}
	dry, err := h.imports(chatImportCmd{DryRun: true}, dir)
	if diff := cmp.Diff(want, dry); diff != "" || err != nil {
		t.Fatalf("%v, %s", err, diff)
	}
	if all, _ := h.store.Threads(t.Context()); len(all) != 0 {
		t.Fatalf("a dry run made %+v", all)
	}
	want.DryRun = false
	got, err := h.imports(chatImportCmd{}, dir)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Fatalf("%v, %s", err, diff)
	}
	messages, _ := h.store.Whole(t.Context(), threadA)
	if len(messages) != 2 || messages[0].ID != "MSG-20261024-115100-000009" || messages[1].Text != "Hello." {
		t.Errorf("the thread has %+v", messages)
	}
	want = importReport{
		Threads: []threadImported{{Thread: threadA, There: 2, Old: 1}, {Thread: threadB, There: 1}},
		Remarks: want.Remarks, There: 3, Old: 1,
	}
	again, err := h.imports(chatImportCmd{}, dir)
	if diff := cmp.Diff(want, again); diff != "" || err != nil {
		t.Fatalf("%v, %s", err, diff)
	}
	if all, _ := h.store.Threads(t.Context()); all[0].Waiting || all[1].Waiting {
		t.Error("what was imported waits for an answer")
	}
}

func TestImportNamesEachThingThatItSkips(t *testing.T) {
	h := newChatHome(t)
	outside := folder(t, map[string]string{"secret.json": `[` + oldMessage(5, "operator", "secret") + `]`})
	dir := folder(t, map[string]string{
		string(threadA) + ".json": `[` + oldMessage(9, "operator", "hi") + `,{"epoch":1,"author":"operator","text":"x"},` + oldMessage(8, "root", "boo") + `]`,
		string(threadB) + ".json": `{"messages":`,
		"A1B2C3D4E5F60718.json":   `[]`,
		"\x1b[2J\xff.json":        `[]`,
		"3333333333333333.json":   "[" + strings.Repeat(" ", maxThreadFile) + "]",
	})
	for name, target := range map[string]string{
		"1111111111111111.json": filepath.Join(outside, "secret.json"),
		"2222222222222222.json": string(threadA) + ".json",
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "4444444444444444.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "5555555555555555.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	dry, _ := h.imports(chatImportCmd{DryRun: true}, dir)
	got, err := h.imports(chatImportCmd{}, dir)
	exits(t, err, exitNot, "10 things were skipped")
	if dry.DryRun = false; cmp.Diff(dry, got) != "" {
		t.Errorf("a dry run says another thing: %s", cmp.Diff(dry, got))
	}
	const link = "it is no file itself (a link is not followed)"
	const name = "its name is not a thread's: 16 digits from 0 to 9 and a to f, and .json"
	want := []remark{
		{File: "\x1b[2J�.json", Why: name, Fault: true},
		{File: "1111111111111111.json", Why: link, Fault: true},
		{File: "2222222222222222.json", Why: link, Fault: true},
		{File: "4444444444444444.json", Why: link, Fault: true},
		{File: "5555555555555555.json", Why: link, Fault: true},
		{File: "A1B2C3D4E5F60718.json", Why: name, Fault: true},
		{File: "3333333333333333.json", Why: "it is larger than 16 MB, which no thread is", Fault: true},
		{File: string(threadA) + ".json", Message: 2, Why: "its epoch 1 is no time in milliseconds", Fault: true},
		{File: string(threadA) + ".json", Message: 3, ID: "MSG-20261024-115200-000008", Why: "its author is none of operator, agent and hermes", Fault: true},
		{File: string(threadB) + ".json", Why: "it is not JSON (from byte 12 on)", Fault: true},
	}
	if diff := cmp.Diff(want, got.Remarks); diff != "" {
		t.Error(diff)
	}
	if all, _ := h.store.Threads(t.Context()); len(all) != 1 || all[0].Messages != 1 {
		t.Errorf("the store has %+v", all)
	}
	var shown strings.Builder
	e := h.env()
	e.stdout = &shown
	if err := got.print(e, false); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`\x1b[2J�.json, skipped: its name`, "a1b2c3d4e5f60718.json, message 3 (MSG-20261024-115200-000008), skipped: its author",
		"a1b2c3d4e5f60718: 1 added, 0 there already, 0 too old to keep, 2 skipped", "1 thread: 1 message added, 0 there already",
	} {
		if !strings.Contains(shown.String(), line) {
			t.Errorf("no %q in\n%s", line, shown.String())
		}
	}
	if strings.ContainsRune(shown.String(), 0x1b) {
		t.Errorf("the report drives the terminal: %q", shown.String())
	}
}

func TestImportAndTheThreadLimit(t *testing.T) {
	h := newChatHome(t)
	h.rules.Threads = 2
	h.store = chat.NewMemory(h.rules)
	h.says(threadC, chat.Operator, "hi")
	h.says(threadA, chat.Operator, "hi")
	dir := folder(t, map[string]string{
		string(threadA) + ".json": `[` + oldMessage(9, "operator", "older") + `]`,
		string(threadB) + ".json": `[` + oldMessage(9, "operator", "hi") + `]`,
	})
	for _, dry := range []bool{true, false} {
		got, err := h.imports(chatImportCmd{DryRun: dry}, dir)
		exits(t, err, exitNot, "1 thing was skipped")
		want := importReport{
			DryRun:  dry,
			Threads: []threadImported{{Thread: threadA, Added: 1}}, Added: 1, Faults: 1,
			Remarks: []remark{{File: string(threadB) + ".json", Why: "the host holds as many threads as it may, so this one was left out", Fault: true}},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("dry %v: %s", dry, diff)
		}
	}
}

func TestImportOfSettings(t *testing.T) {
	h := newChatHome(t)
	dir := folder(t, map[string]string{
		string(threadA) + ".json": `{"person":"Mum","answers":"off","messages":[` + oldMessage(9, "operator", "hi") + `]}`,
		string(threadB) + ".json": `{"person":"sally","answers":"host","messages":[]}`,
	})
	if _, err := h.imports(chatImportCmd{}, dir); err != nil {
		t.Fatal(err)
	}
	if s, _ := h.store.Settings(t.Context(), threadA); s != (chat.Settings{}) {
		t.Errorf("without --settings: %+v", s)
	}
	for _, dry := range []bool{true, false} {
		got, err := h.imports(chatImportCmd{Settings: true, DryRun: dry}, dir)
		exits(t, err, exitNot)
		if got.Threads[0].Person != "sam" || got.Threads[0].Answers != chat.ByNobody || got.Threads[1].Answers != chat.ByHost || got.Threads[1].Person != "" {
			t.Errorf("the report is %+v", got.Threads)
		}
		if len(got.Remarks) != 1 || !strings.Contains(got.Remarks[0].Why, `its person was left out: nobody is called "sally"`) {
			t.Errorf("the remarks are %+v", got.Remarks)
		}
	}
	if s, _ := h.store.Settings(t.Context(), threadA); s.Person != "sam" || s.Answers != chat.ByNobody {
		t.Errorf("the settings are %+v", s)
	}
	if messages, _ := h.store.Whole(t.Context(), threadA); len(messages) != 1 {
		t.Errorf("the thread was told: %+v", messages)
	}
}

// What is exported here is the same there.
func TestExportAndImportGiveTheSameThreads(t *testing.T) {
	h := newChatHome(t)
	rapid.Check(t, func(rt *rapid.T) {
		h.store, h.now = chat.NewMemory(h.rules), chatDay
		threads := rapid.SliceOfNDistinct(rapid.StringMatching(`[0-9a-f]{16}`), 0, 4, rapid.ID).Draw(rt, "threads")
		for _, thread := range threads {
			for range rapid.IntRange(0, 6).Draw(rt, "messages") {
				text := strings.ReplaceAll(strings.ToValidUTF8(anyText(rt), ""), "\x00", "") + "."
				h.says(chat.Thread(thread), rapid.SampledFrom([]chat.Author{chat.Operator, chat.Agent, chat.Hermes}).Draw(rt, "author"), text)
			}
			if _, err := h.store.SetUp(t.Context(), chat.Thread(thread), func(s *chat.Settings) {
				s.Person = rapid.SampledFrom([]string{"", "sam", "harry"}).Draw(rt, "person")
				s.Answers = rapid.SampledFrom([]chat.Answers{"", chat.ByHub, chat.ByHost, chat.ByNobody}).Draw(rt, "answers")
			}); err != nil {
				rt.Fatal(err)
			}
		}
		dir := filepath.Join(t.TempDir(), "out")
		if err := (&chatExportCmd{Dir: dir}).write(h.env(), h.store); err != nil {
			rt.Fatal(err)
		}
		from := h.store
		h.store = chat.NewMemory(h.rules)
		if report, err := h.imports(chatImportCmd{Settings: true}, dir); err != nil || len(report.Remarks) > 0 {
			rt.Fatalf("%v, %+v", err, report.Remarks)
		}
		for _, thread := range threads {
			was, _ := from.Whole(t.Context(), chat.Thread(thread))
			is, _ := h.store.Whole(t.Context(), chat.Thread(thread))
			if diff := cmp.Diff(was, is); diff != "" {
				rt.Fatal(diff)
			}
			set, _ := from.Settings(t.Context(), chat.Thread(thread))
			got, _ := h.store.Settings(t.Context(), chat.Thread(thread))
			if diff := cmp.Diff(set, got); diff != "" {
				rt.Fatal(diff)
			}
		}
	})
}

func TestExportClosesItsFolderAndReplacesOnlyWhenForced(t *testing.T) {
	h := newChatHome(t)
	h.says(threadA, chat.Operator, "hi")
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	export := func(force bool) error {
		return (&chatExportCmd{Dir: dir, Force: force}).write(h.env(), h.store)
	}
	if err := export(false); err != nil {
		t.Fatal(err)
	}
	if want := "1 thread with 1 message is in " + dir + ".\n"; h.out.String() != want {
		t.Errorf("it printed %q", h.out.String())
	}
	mode := func(path string) fs.FileMode {
		info, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode()
	}
	file := filepath.Join(dir, string(threadA)+".json")
	if mode(dir).Perm() != 0o700 || mode(file).Perm() != 0o600 {
		t.Errorf("the modes are %v and %v", mode(dir), mode(file))
	}
	exits(t, export(false), exitNot, "--force")
	// A link in the folder is replaced, and what it points to is left alone.
	elsewhere := filepath.Join(t.TempDir(), "kept")
	if err := os.WriteFile(elsewhere, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, file); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "mine.txt"), []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := export(true); err != nil {
		t.Fatal(err)
	}
	if !mode(file).IsRegular() || read(t, elsewhere) != "kept" || read(t, filepath.Join(dir, "mine.txt")) != "kept" {
		t.Error("more than the threads' own files was replaced")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
	exits(t, (&chatExportCmd{Dir: file}).write(h.env(), h.store), exitNot, "cannot be read")
}
