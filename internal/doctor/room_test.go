package doctor

import "testing"

func TestRoomOnTheDisk(t *testing.T) {
	for _, test := range []struct {
		free uint64
		want State
	}{
		{0, Fault}, {50<<20 - 1, Fault}, {50 << 20, Warn}, {500<<20 - 1, Warn}, {500 << 20, OK}, {1 << 50, OK},
	} {
		if got := room("/there", test.free); got.State != test.want {
			t.Errorf("%d bytes free: %s, want %s", test.free, got.State, test.want)
		}
	}
}
