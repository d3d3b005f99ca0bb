package chat

import "testing"

func TestOneAddressPushesNobodyOut(t *testing.T) {
	var s streams
	for range maxStreamsOfOne {
		if !s.enter("192.0.2.1") {
			t.Fatal("an address is held to less than its share")
		}
	}
	if s.enter("192.0.2.1") {
		t.Error("an address has more than its share")
	}
	for range maxStreams - maxStreamsOfOne {
		if !s.enter("192.0.2.2") {
			t.Fatal("another address has no room")
		}
	}
	if s.enter("192.0.2.3") {
		t.Error("more are open than may be")
	}
	s.leave("192.0.2.1")
	if !s.enter("192.0.2.3") {
		t.Error("what was left is not free")
	}
	for range maxStreamsOfOne - 1 {
		s.leave("192.0.2.1")
	}
	if _, there := s.byAddr["192.0.2.1"]; there {
		t.Error("an address that is gone is remembered")
	}
}
