CREATE TABLE "worlds" (
	"session_id" text PRIMARY KEY NOT NULL,
	"writer" text,
	"replica_id" text,
	"claimed_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"is_unsettled" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
ALTER TABLE "worlds" ADD CONSTRAINT "worlds_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "worlds_unsettled" ON "worlds" USING btree ("claimed_at") WHERE "worlds"."writer" is not null or "worlds"."is_unsettled";