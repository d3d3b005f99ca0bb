package chat_test

import (
	"fmt"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askhub/askhub/chat"
)

// Readers who take nothing keep only so many long pages in memory, and hold up nobody
// who reads a short one.
func TestLongPagesThatNobodyTakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, m := memory(chat.Config{})
		for i := range 20 {
			if _, err := m.Append(t.Context(), chat.Post{Thread: chat.Token(token).Thread(), Author: chat.Operator, Text: strings.Repeat("🎓", chat.MaxText), Now: time.Now()}); err != nil {
				t.Fatal(i, err)
			}
		}
		var outs []*io.PipeReader
		var ends []chan struct{}
		for range 32 {
			out, done := stream(t.Context(), h)
			outs, ends = append(outs, out), append(ends, done)
		}
		synctest.Wait()
		began := time.Now()
		if w := call(h, "GET", "/api/chat/poll", ""); w.Code != 503 || !strings.Contains(w.Body.String(), `"code":"unavailable"`) || time.Since(began) != 5*time.Second {
			t.Errorf("one more gives %d %.200s after %s", w.Code, w.Body, time.Since(began))
		}
		began = time.Now()
		r := httptest.NewRequest("GET", "/api/chat/poll", nil)
		r.Header.Set(chat.TokenHeader, strings.Repeat("ab", 32))
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != 200 || time.Since(began) != 0 {
			t.Errorf("a short page gives %d after %s", w.Code, time.Since(began))
		}
		waiting := make(chan string)
		go func() {
			w := call(h, "GET", "/api/chat/poll", "")
			waiting <- fmt.Sprint(w.Code, strings.Count(w.Body.String(), `"id"`))
		}()
		synctest.Wait()
		_ = outs[0].Close() // one reader goes
		if got := <-waiting; got != "200 20" {
			t.Errorf("in its turn it gives %s", got)
		}
		for i, out := range outs {
			_ = out.Close()
			<-ends[i]
		}
	})
}
