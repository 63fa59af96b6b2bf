CREATE TABLE "budgets" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant" text NOT NULL,
	"session_id" text NOT NULL,
	"iterations" integer,
	"iterations_used" integer DEFAULT 0 NOT NULL,
	"iterations_reserved" integer DEFAULT 0 NOT NULL,
	"time_ms" double precision,
	"time_used_ms" double precision DEFAULT 0 NOT NULL,
	"time_reserved_ms" double precision DEFAULT 0 NOT NULL,
	"tokens" bigint,
	"tokens_used" bigint DEFAULT 0 NOT NULL,
	"cost" numeric,
	"cost_used" numeric DEFAULT '0' NOT NULL,
	"is_used_up" boolean GENERATED ALWAYS AS (coalesce(iterations <= iterations_used, false) or coalesce(time_ms - time_used_ms < 1, false)
      or coalesce(tokens <= tokens_used, false) or coalesce(cost <= cost_used, false)) STORED NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "budget_of" text;--> statement-breakpoint
ALTER TABLE "steps" ADD COLUMN "budget_id" text;--> statement-breakpoint
ALTER TABLE "steps" ADD COLUMN "reserved_iterations" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "steps" ADD COLUMN "reserved_ms" integer;--> statement-breakpoint
ALTER TABLE "steps" ADD COLUMN "reserved_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "steps" ADD COLUMN "is_cut_by_budget" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "steps" ADD COLUMN "charged_ms" double precision;--> statement-breakpoint
ALTER TABLE "steps" ADD COLUMN "budget_remaining" jsonb;--> statement-breakpoint
ALTER TABLE "steps" ADD COLUMN "tokens_used" bigint;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_budget_of_budgets_id_fk" FOREIGN KEY ("budget_of") REFERENCES "public"."budgets"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "sessions_by_budget" ON "sessions" USING btree ("budget_of") WHERE "sessions"."budget_of" is not null;--> statement-breakpoint
-- What may still be spent, by kind of limit. An iteration counts as soon as it is reserved, because its step will run. Timeouts are whole
-- milliseconds, and so is the time that is left.
CREATE FUNCTION "budget_remaining"(b "budgets") RETURNS jsonb LANGUAGE sql STABLE AS $$
	SELECT jsonb_build_object(
		'iterations', CASE WHEN b.iterations IS NOT NULL THEN greatest(0, b.iterations - b.iterations_used - b.iterations_reserved) END,
		'timeSeconds', CASE WHEN b.time_ms IS NOT NULL THEN floor(greatest(0, b.time_ms - b.time_used_ms)) / 1000 END,
		'tokens', CASE WHEN b.tokens IS NOT NULL THEN greatest(0, b.tokens - b.tokens_used) END,
		'cost', CASE WHEN b.cost IS NOT NULL THEN trim_scale(greatest(0, b.cost - b.cost_used))::text END)
$$;--> statement-breakpoint
-- Settles what a step has reserved, in the statement that records its end. Since an end is recorded once, a charge is made once, whichever
-- replica or statement records it. A step is never charged more time than it had reserved, so that a budget is never exceeded.
CREATE FUNCTION "settle_step"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	-- Only the data-plane calls a step lost; any other cause comes from the agent.
	ran boolean := NEW.status <> 'lost' OR coalesce(NEW.cause ->> 'code', '') <> 'never_started';
BEGIN
	NEW.charged_ms := least(OLD.reserved_ms, CASE
		WHEN NOT ran THEN 0
		WHEN NEW.status = 'timed_out' AND OLD.is_cut_by_budget THEN OLD.reserved_ms
		WHEN NEW.duration_ms IS NOT NULL THEN NEW.duration_ms
		WHEN NEW.status = 'lost' THEN extract(epoch FROM clock_timestamp() - OLD.reserved_at) * 1000
		ELSE 0
	END);
	UPDATE "public"."budgets" AS b SET
		iterations_reserved = b.iterations_reserved - OLD.reserved_iterations,
		iterations_used = b.iterations_used + CASE WHEN ran THEN OLD.reserved_iterations ELSE 0 END,
		time_reserved_ms = b.time_reserved_ms - coalesce(OLD.reserved_ms, 0),
		time_used_ms = b.time_used_ms + NEW.charged_ms
	WHERE b.id = OLD.budget_id
	RETURNING "public".budget_remaining(b) INTO NEW.budget_remaining;
	RETURN NEW;
END
$$;--> statement-breakpoint
CREATE TRIGGER "steps_settle" BEFORE UPDATE ON "steps" FOR EACH ROW
WHEN (OLD.budget_id IS NOT NULL AND OLD.finished_at IS NULL AND NEW.finished_at IS NOT NULL)
EXECUTE FUNCTION "settle_step"();--> statement-breakpoint
-- The sessions that share a budget follow it, in the transaction in which it is used up or raised.
CREATE FUNCTION "follow_budget"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE "public"."sessions" SET
		status = CASE WHEN NEW.is_used_up THEN 'budget_exceeded' ELSE 'active' END,
		updated_at = date_trunc('milliseconds', now())
	WHERE id IN (SELECT s.id FROM "public"."sessions" s WHERE s.budget_of = NEW.id ORDER BY s.id FOR UPDATE)
		AND status = CASE WHEN NEW.is_used_up THEN 'active' ELSE 'budget_exceeded' END;
	RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER "sessions_follow_budget" AFTER UPDATE ON "budgets" FOR EACH ROW
WHEN (OLD.is_used_up IS DISTINCT FROM NEW.is_used_up)
EXECUTE FUNCTION "follow_budget"();
