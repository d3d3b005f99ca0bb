package answer

import "github.com/askhub/askhub/plan"

// ages judges "as of 8:15": the time at which a result was true. Such a time says
// nothing of a row, so it is taken out of what is judged further.
func (j *judge) ages(s *segment) *Fault {
	for i := s.from; i < s.to; i++ {
		m := &j.out[i]
		if m.kind != mWhen || !j.asOf(i) {
			continue
		}
		l := j.trueAt(s, m.when)
		if l < 0 {
			return j.fault(CodeDate, i)
		}
		m.kind, m.aged = mAge, true
		j.rest(i, i+1, l, "at", HowStands)
	}
	return nil
}

// asOf says that "as of" stands before a time, or before the times right before it.
func (j *judge) asOf(i int) bool {
	t := j.out[i].from
	if wordAt(j.ts, t-1) == "at" || wordAt(j.ts, t-1) == "on" {
		t--
	}
	if wordAt(j.ts, t-1) == "of" && wordAt(j.ts, t-2) == "as" {
		return true
	}
	for k := i - 1; k >= 0 && j.out[k].to >= t; k-- {
		if j.out[k].aged && j.out[k].to == t {
			return true
		}
	}
	return false
}

// trueAt is the look-up of the segment whose result was true then, -1 for none.
func (j *judge) trueAt(s *segment, w when) int {
	for l := range j.looks {
		look := &j.looks[l]
		if at := look.found.Result.At; (look.ok || look.found.Result.Outcome == plan.OutcomeNone) && s.mask>>l&1 == 1 && !at.IsZero() && w.fits(newInstant(at, j.cal.now.Location(), false)) {
			return l
		}
	}
	return -1
}
