ALTER TABLE "sessions" ADD COLUMN "running_processes" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
-- Counts the processes of a session that run, in the statements that begin, withdraw and end them. They have locked the session.
CREATE FUNCTION "count_running_process"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE "public"."sessions" SET "running_processes" = "running_processes" + CASE WHEN TG_OP = 'INSERT' THEN 1 ELSE -1 END
	WHERE "id" = CASE WHEN TG_OP = 'INSERT' THEN NEW."session_id" ELSE OLD."session_id" END;
	RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER "processes_count_start" AFTER INSERT ON "processes" FOR EACH ROW
WHEN (NEW."finished_at" IS NULL)
EXECUTE FUNCTION "count_running_process"();--> statement-breakpoint
CREATE TRIGGER "processes_count_withdrawal" AFTER DELETE ON "processes" FOR EACH ROW
WHEN (OLD."finished_at" IS NULL)
EXECUTE FUNCTION "count_running_process"();--> statement-breakpoint
CREATE TRIGGER "processes_count_end" AFTER UPDATE OF "finished_at" ON "processes" FOR EACH ROW
WHEN (OLD."finished_at" IS NULL AND NEW."finished_at" IS NOT NULL)
EXECUTE FUNCTION "count_running_process"();--> statement-breakpoint
UPDATE "sessions" SET "running_processes" = p.running
FROM (SELECT session_id, count(*) AS running FROM "processes" WHERE finished_at IS NULL GROUP BY session_id) AS p
WHERE "sessions"."id" = p.session_id;--> statement-breakpoint
-- A process goes on while the registry is away, and is charged afterwards for the time beyond what it had reserved, as far as the budget still has it: a
-- budget is never exceeded. The end is when it was seen, which may be long before it can be recorded.
CREATE OR REPLACE FUNCTION "settle_process"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	SELECT CASE WHEN NEW.cause ->> 'code' = 'never_started' THEN 0 ELSE least(
		OLD.reserved_ms + greatest(0, floor(b.time_ms - b.time_used_ms - b.time_reserved_ms)),
		greatest(0, extract(epoch FROM NEW.finished_at - OLD.started_at) * 1000)) END
	FROM "public"."budgets" AS b WHERE b.id = OLD.budget_id FOR UPDATE INTO NEW.charged_ms;
	UPDATE "public"."budgets" AS b SET
		time_reserved_ms = b.time_reserved_ms - coalesce(OLD.reserved_ms, 0),
		time_used_ms = b.time_used_ms + coalesce(NEW.charged_ms, 0)
	WHERE b.id = OLD.budget_id
	RETURNING "public".budget_remaining(b) INTO NEW.budget_remaining;
	RETURN NEW;
END
$$;
