-- Checking the key cost a query for each step that is recorded. The trigger does the rest of its work, also for replicas of an earlier
-- version, which rely on it when they delete a session.
CREATE FUNCTION "delete_steps_of_session"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "public"."steps" WHERE "session_id" = OLD."id";
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER "steps_go_with_session" AFTER DELETE ON "sessions" FOR EACH ROW EXECUTE FUNCTION "delete_steps_of_session"();--> statement-breakpoint
ALTER TABLE "steps" DROP CONSTRAINT "steps_session_id_sessions_id_fk";
