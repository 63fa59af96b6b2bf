CREATE TABLE "shares" (
	"id" text PRIMARY KEY NOT NULL,
	"session_id" text NOT NULL,
	"access" text NOT NULL,
	"name" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "actor" text;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "actor_name" text;--> statement-breakpoint
ALTER TABLE "steps" ADD COLUMN "actor_name" text;--> statement-breakpoint
ALTER TABLE "shares" ADD CONSTRAINT "shares_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "shares_by_session" ON "shares" USING btree ("session_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
-- Readers of a session's stream pass over an entry once they have a later one. So an entry gets its id behind a lock that is held until its transaction
-- ends: while nobody holds the lock of a session, all of its entries with the ids so far are there. Its holders never wait for each other.
CREATE FUNCTION "order_audit_entry"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(49, hashtext(NEW."session_id"));
  NEW."id" := nextval('"public"."audit_entries_id_seq"');
  RETURN NEW;
END
$$;--> statement-breakpoint
CREATE TRIGGER "audit_entries_order" BEFORE INSERT ON "audit_entries" FOR EACH ROW EXECUTE FUNCTION "order_audit_entry"();
