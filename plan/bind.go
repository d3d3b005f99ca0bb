package plan

import (
	"fmt"
	"reflect"
	"strconv"
)

// DefaultMaxLength is the bound in code points of a text argument that names none.
const DefaultMaxLength = 200

// Arg is an argument as the planner knows it.
type Arg struct {
	Name     string
	Describe string
	// Values are the closed list of an enum; nil for a text argument.
	Values []string
	// Nullable says that it may be null.
	Nullable bool
	// MaxLength bounds a text argument, in code points. It is 0 for an enum.
	MaxLength int
}

// boundArg is an argument and the struct field that takes it.
type boundArg struct {
	Arg
	field int
}

// binding is how an argument struct A takes the arguments of a call.
type binding[A any] struct {
	args   []boundArg
	faults []string
}

// bind reads the fields of A once, when the tool is made.
func bind[A any]() binding[A] {
	var b binding[A]
	t := reflect.TypeFor[A]()
	if t.Kind() != reflect.Struct {
		b.faults = append(b.faults, fmt.Sprintf("its arguments are %s: they must be a struct with one field for each", t))
		return b
	}
	for i := range t.NumField() {
		arg, fault := bindField(t.Field(i))
		if fault != "" {
			b.faults = append(b.faults, fmt.Sprintf("field %s: %s", t.Field(i).Name, fault))
			continue
		}
		b.args = append(b.args, boundArg{Arg: arg, field: i})
	}
	return b
}

func bindField(f reflect.StructField) (arg Arg, fault string) {
	if !f.IsExported() {
		return arg, "is not exported, so no argument can reach it"
	}
	arg = Arg{Name: f.Tag.Get("arg"), Describe: f.Tag.Get("describe")}
	if arg.Name == "" {
		return arg, `has no tag arg:"name"`
	}
	t := f.Type
	if t.Kind() == reflect.Pointer {
		arg.Nullable = true
		t = t.Elem()
	}
	if t.Kind() != reflect.String {
		return arg, fmt.Sprintf("is %s: an argument is a string, or a pointer to one where it may be null", f.Type)
	}
	maxTag, bounded := f.Tag.Lookup("max")
	if closed, ok := reflect.New(t).Interface().(interface{ Values() []string }); ok {
		if bounded {
			return arg, "is an enum, and needs no max"
		}
		if arg.Values = closed.Values(); arg.Values == nil {
			arg.Values = []string{} // refused with the other enums without a value
		}
		return arg, ""
	}
	arg.MaxLength = DefaultMaxLength
	if bounded {
		n, err := strconv.Atoi(maxTag)
		if err != nil {
			return arg, fmt.Sprintf("max:%q is no whole number", maxTag)
		}
		arg.MaxLength = n
	}
	return arg, ""
}

// value is the argument struct of a call whose arguments are in declared order.
func (b *binding[A]) value(args []Argument) A {
	var a A
	into := reflect.ValueOf(&a).Elem()
	for i, arg := range b.args {
		if i >= len(args) || args[i].Null {
			continue
		}
		field := into.Field(arg.field)
		if arg.Nullable {
			field.Set(reflect.New(field.Type().Elem()))
			field = field.Elem()
		}
		field.SetString(args[i].Value)
	}
	return a
}
