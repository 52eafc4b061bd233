-- The index of the first stage in SQLite: a row per memory, and its terms in a
-- full-text table. After a change, give the file another name (sqlite.py).
CREATE TABLE IF NOT EXISTS memory
    (id INTEGER PRIMARY KEY, file TEXT UNIQUE, mtime REAL, size INTEGER);
CREATE INDEX IF NOT EXISTS by_time ON memory (mtime DESC, file);
CREATE VIRTUAL TABLE IF NOT EXISTS words
    USING fts5 (terms, tokenize = 'ascii');
CREATE VIRTUAL TABLE IF NOT EXISTS frequency USING fts5vocab (words, 'row');
CREATE TRIGGER IF NOT EXISTS removed AFTER DELETE ON memory
    BEGIN DELETE FROM words WHERE rowid = old.id; END;
-- Nothing that was removed may remain in the file.
PRAGMA secure_delete = ON;
