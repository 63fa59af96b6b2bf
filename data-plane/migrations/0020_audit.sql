CREATE TABLE "audit_entries" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "audit_entries_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"session_id" text NOT NULL,
	"tenant" text NOT NULL,
	"time" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"turn" integer,
	"step_id" text,
	"actor" text NOT NULL,
	"actor_name" text,
	"key_id" text,
	"operation" text NOT NULL,
	"arguments" jsonb,
	"decision" text NOT NULL,
	"rule" text,
	"duration_ms" double precision,
	"tokens" bigint,
	"cost" numeric
);
--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "changed_by" jsonb;--> statement-breakpoint
ALTER TABLE "steps" ADD COLUMN "key_id" text;--> statement-breakpoint
CREATE INDEX "audit_entries_by_session" ON "audit_entries" USING btree ("session_id","id");--> statement-breakpoint
CREATE INDEX "audit_entries_by_time" ON "audit_entries" USING brin ("time");--> statement-breakpoint
-- Rights that roles get to every new table, taken back before anybody could use them.
DO $$
DECLARE grantee text;
BEGIN
  FOR grantee IN
    SELECT DISTINCT g.grantee FROM information_schema.role_table_grants g
    WHERE g.table_schema = 'public' AND g.table_name = 'audit_entries' AND g.grantee <> current_user
  LOOP
    EXECUTE format('REVOKE UPDATE, DELETE, TRUNCATE ON "public"."audit_entries" FROM %I', grantee);
  END LOOP;
END
$$;--> statement-breakpoint
-- A trigger, so that no statement can change the status of a session without an entry.
CREATE FUNCTION "audit_session"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  asked jsonb;
  operation text;
  facts jsonb;
BEGIN
  IF TG_OP = 'DELETE' THEN
    INSERT INTO "public"."audit_entries" ("session_id", "tenant", "actor", "operation", "decision")
    VALUES (OLD."id", OLD."tenant", 'system', 'session.purge', 'allowed');
    RETURN NULL;
  END IF;
  facts := jsonb_build_object('status', NEW."status", 'epoch', NEW."epoch");
  IF TG_OP = 'INSERT' THEN
    operation := 'session.create';
  ELSE
    operation := 'session.status';
    facts := jsonb_build_object('from', OLD."status") || facts;
    IF NEW."end_reason" IS NOT NULL THEN
      facts := facts || jsonb_build_object('reason', NEW."end_reason");
    ELSIF NEW."lost_reason" IS NOT NULL AND NEW."status" IN ('lost', 'recovering') THEN
      facts := facts || jsonb_build_object('reason', NEW."lost_reason");
    END IF;
  END IF;
  IF NEW."changed_by" ->> 'transaction' = pg_current_xact_id()::text THEN
    asked := NEW."changed_by";
  END IF;
  INSERT INTO "public"."audit_entries"
    ("session_id", "tenant", "actor", "actor_name", "key_id", "operation", "arguments", "decision")
  VALUES (
    NEW."id", NEW."tenant", coalesce(asked ->> 'actor', 'system'), asked ->> 'actorName', asked ->> 'keyId',
    coalesce(asked ->> 'operation', operation), facts || coalesce(asked -> 'arguments', '{}'), 'allowed');
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER "sessions_audit_insert" AFTER INSERT ON "sessions" FOR EACH ROW EXECUTE FUNCTION "audit_session"();--> statement-breakpoint
-- Not for the columns that every step changes.
CREATE TRIGGER "sessions_audit_update" AFTER UPDATE OF "status", "epoch", "changed_by", "delete_requested_at" ON "sessions" FOR EACH ROW
WHEN (
  OLD."status" IS DISTINCT FROM NEW."status" OR OLD."epoch" IS DISTINCT FROM NEW."epoch"
  OR OLD."changed_by" IS DISTINCT FROM NEW."changed_by" OR OLD."delete_requested_at" IS DISTINCT FROM NEW."delete_requested_at"
)
EXECUTE FUNCTION "audit_session"();--> statement-breakpoint
CREATE TRIGGER "sessions_audit_delete" AFTER DELETE ON "sessions" FOR EACH ROW EXECUTE FUNCTION "audit_session"();
