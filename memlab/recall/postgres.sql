-- The index of the first stage in PostgreSQL: one row per memory, for many
-- projects. The administrator of a database runs this once:
--
--     psql --file memlab/recall/postgres.sql --dbname DATABASE

CREATE SCHEMA memlab;
CREATE TABLE memlab.memory (
    owner name NOT NULL DEFAULT current_user, -- the role that wrote the row
    project text NOT NULL,                    -- a memory directory
    file text NOT NULL,
    mtime double precision NOT NULL,
    size bigint NOT NULL,
    words tsvector NOT NULL,
    PRIMARY KEY (owner, project, file)
);

-- A role sees and writes its own rows only, whatever it asks for.
ALTER TABLE memlab.memory ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON memlab.memory
    USING (owner = current_user)
    WITH CHECK (owner = current_user);

CREATE ROLE memlab;
GRANT USAGE ON SCHEMA memlab TO memlab;
GRANT SELECT, INSERT, DELETE ON memlab.memory TO memlab;

-- And this for each project, or for all projects of one person:
--
--     CREATE ROLE shop LOGIN PASSWORD '...' IN ROLE memlab;
