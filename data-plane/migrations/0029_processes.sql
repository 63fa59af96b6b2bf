CREATE TABLE "processes" (
	"id" text PRIMARY KEY NOT NULL,
	"session_id" text NOT NULL,
	"number" integer NOT NULL,
	"epoch" integer NOT NULL,
	"actor" text NOT NULL,
	"actor_name" text,
	"key_id" text,
	"command" jsonb NOT NULL,
	"cwd" text,
	"terminal" jsonb,
	"status" text DEFAULT 'running' NOT NULL,
	"pid" integer,
	"exit_code" integer,
	"signal" text,
	"cause" jsonb,
	"log" "bytea",
	"truncated" boolean DEFAULT false NOT NULL,
	"usage" jsonb,
	"fingerprint" "bytea",
	"replica_id" text,
	"assigned_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"admission_id" text NOT NULL,
	"timeout_ms" integer,
	"started_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp (3) with time zone,
	"budget_id" text,
	"reserved_ms" integer,
	"charged_ms" double precision,
	"budget_remaining" jsonb
);
--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "process_count" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "processes" ADD CONSTRAINT "processes_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "processes_by_number" ON "processes" USING btree ("session_id","number");--> statement-breakpoint
CREATE INDEX "processes_running" ON "processes" USING btree ("session_id","replica_id") WHERE "processes"."replica_id" is not null;
--> statement-breakpoint
-- Settles the time that a process has reserved, in the statement that records its end, whichever replica or statement that is. Its iteration was charged
-- when it was admitted. It is never charged more time than it had reserved, so that a budget is never exceeded.
CREATE FUNCTION "settle_process"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.charged_ms := CASE WHEN NEW.cause ->> 'code' = 'never_started' THEN 0
		ELSE least(OLD.reserved_ms, extract(epoch FROM clock_timestamp() - OLD.started_at) * 1000) END;
	UPDATE "public"."budgets" AS b SET
		time_reserved_ms = b.time_reserved_ms - coalesce(OLD.reserved_ms, 0),
		time_used_ms = b.time_used_ms + coalesce(NEW.charged_ms, 0)
	WHERE b.id = OLD.budget_id
	RETURNING "public".budget_remaining(b) INTO NEW.budget_remaining;
	RETURN NEW;
END
$$;--> statement-breakpoint
CREATE TRIGGER "processes_settle" BEFORE UPDATE ON "processes" FOR EACH ROW
WHEN (OLD.budget_id IS NOT NULL AND OLD.finished_at IS NULL AND NEW.finished_at IS NOT NULL)
EXECUTE FUNCTION "settle_process"();
