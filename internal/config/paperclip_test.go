package config

import (
	"strings"
	"testing"
)

const workBench = "[paperclip]\nurl = \"http://127.0.0.1:3100/\"\ncompany = \"495b7272-9c34-40a5-9065-81032c0cb556\"\nproject = \"A271EF99-1e6e-4b3a-b6ca-f78466ca48e0\"\n"

func TestAPaperclipIsRead(t *testing.T) {
	c, err := load(t, workBench)
	if err != nil {
		t.Fatal(err)
	}
	want := Paperclip{URL: "http://127.0.0.1:3100", Company: "495b7272-9c34-40a5-9065-81032c0cb556", Project: "a271ef99-1e6e-4b3a-b6ca-f78466ca48e0"}
	if c.Paperclip != want || !c.Paperclip.Configured() || len(c.Warnings()) != 0 {
		t.Errorf("got %+v, %v", c.Paperclip, c.Warnings())
	}
	if c, err = load(t, strings.Replace(workBench, "3100/", "3100/api/", 1)); err != nil || c.Paperclip.URL != want.URL {
		t.Errorf("the API's own address: got %+v, %v", c.Paperclip, err)
	}
	if c, err = load(t, ""); err != nil || c.Paperclip.Configured() {
		t.Errorf("without [paperclip]: got %+v, %v", c.Paperclip, err)
	}
	far, err := load(t, strings.Replace(workBench, "127.0.0.1", "10.0.0.7", 1))
	if err != nil || len(far.Warnings()) != 1 || !strings.Contains(far.Warnings()[0], "paperclip.url") {
		t.Errorf("over the network: %v, %v", far.Warnings(), err)
	}
}

func TestEachFaultOfAPaperclipNamesItsFieldAndTheMend(t *testing.T) {
	for _, c := range []struct{ text, field, mend string }{
		{"[paperclip]\n", "paperclip.url", "must be an address"},
		{"[paperclip]\n", "paperclip.company", "id"},
		{"[paperclip]\n", "paperclip.project", "the key is bound"},
		{workBench + "parent = \"a271ef99-1e6e-4b3a-b6ca-f78466ca48e0\"\n", "paperclip.project", "one of the two"},
		{strings.Replace(workBench, "495b7272-9c34-40a5-9065-81032c0cb556", "HOU", 1), "paperclip.company", "not a name"},
		{workBench + "assignee = \"askhub\"\n", "paperclip.assignee", "not a name"},
		{strings.Replace(workBench, "3100/", "3100/?key=pcp_1", 1), "paperclip.url", "query"},
		{strings.Replace(workBench, "http://", "http://me:pcp_1@", 1), "paperclip.url", "secrets file"},
		{workBench + "key = \"pcp_1\"\n", "paperclip.key", "no such field"},
	} {
		_, err := load(t, c.text)
		if err == nil || !strings.Contains(err.Error(), ": "+c.field+": ") || !strings.Contains(err.Error(), c.mend) {
			t.Errorf("%q: got %v, want %s and %q", c.text, err, c.field, c.mend)
		}
		if err != nil && strings.Contains(err.Error(), "pcp_1") {
			t.Errorf("a fault quotes the key: %v", err)
		}
	}
}
