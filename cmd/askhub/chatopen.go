package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/internal/config"
)

// openChat opens the chat of this household's store, beside whatever else has it open.
func openChat(e *env, cfg *config.Config) (store chatStore, done func() error, err error) {
	db, err := openStore(e, cfg)
	if err != nil {
		return nil, nil, exitError{exitNeedDown, fmt.Errorf("the store: %w", err)}
	}
	return db.chat(chatRules(cfg)), db.close, nil
}

// chatRules are the contract's numbers with what the config changes of them.
func chatRules(cfg *config.Config) chat.Rules {
	rules := chat.DefaultRules()
	rules.Threads, rules.Answers = cfg.Chat.Threads, chat.Answers(cfg.Chat.Answers)
	return rules
}

// reading works on the store; where there is none yet, on an empty one, and makes none:
// who only looks must not be the one who owns the file.
func (c *chatHost) reading(e *env, work func(chatStore, chat.Rules) error) error {
	cfg, err := loadConfig(e, c.Config)
	if err != nil {
		return err
	}
	if !storeThere(cfg) {
		rules := chatRules(cfg)
		return work(chat.NewMemory(rules), rules)
	}
	return onChat(e, cfg, work)
}

// changing works on a store that is there.
func (c *chatHost) changing(e *env, work func(chatStore, chat.Rules) error) error {
	cfg, err := loadConfig(e, c.Config)
	if err != nil {
		return err
	}
	if !storeThere(cfg) {
		return exitError{exitNot, fmt.Errorf("there is no store at %s yet, so no thread either: \"askhub serve\" makes it", cfg.Store)}
	}
	return onChat(e, cfg, work)
}

// creating works on the store and makes it where there is none.
func (c *chatHost) creating(e *env, work func(chatStore, chat.Rules) error) error {
	cfg, err := loadConfig(e, c.Config)
	if err != nil {
		return err
	}
	return onChat(e, cfg, work)
}

func storeThere(cfg *config.Config) bool {
	if cfg.StoreIsServer() {
		return true // what is there is the server's to say
	}
	_, err := os.Stat(cfg.Store)
	return !errors.Is(err, fs.ErrNotExist)
}

func onChat(e *env, cfg *config.Config, work func(chatStore, chat.Rules) error) (err error) {
	store, done, err := openChat(e, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	return work(store, chatRules(cfg))
}
