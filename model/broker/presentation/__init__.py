"""How the broker family is shown: its pictures, events and views; nothing here decides a step."""
