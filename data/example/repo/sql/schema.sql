-- tidebook's tables. Every timestamp is UTC.

CREATE TABLE boat (
	number smallint PRIMARY KEY,
	name text NOT NULL UNIQUE,
	seats smallint NOT NULL CHECK (seats BETWEEN 1 AND 3),
	pence_per_hour integer NOT NULL CHECK (pence_per_hour >= 0),
	in_service boolean NOT NULL DEFAULT true
);

CREATE TABLE booking (
	number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	boat smallint NOT NULL REFERENCES boat,
	surname text NOT NULL,
	leaves timestamptz NOT NULL,
	returns timestamptz NOT NULL CHECK (returns > leaves),
	back timestamptz
);

CREATE INDEX booking_out ON booking (returns) WHERE back IS NULL;

-- Boats that should be back but aren't. The hut, the board and the shell all read this view.
CREATE VIEW overdue AS
SELECT
	booking.number,
	boat.name AS boat,
	booking.surname,
	now() - booking.returns AS late_by
FROM booking
JOIN boat ON boat.number = booking.boat
WHERE booking.back IS NULL
	AND booking.returns < now()
ORDER BY booking.returns;
