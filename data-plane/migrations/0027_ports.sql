CREATE TABLE "ports" (
	"id" text PRIMARY KEY NOT NULL,
	"session_id" text NOT NULL,
	"port" integer NOT NULL,
	"access" text NOT NULL,
	"received_bytes" bigint DEFAULT 0 NOT NULL,
	"sent_bytes" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "ports" ADD CONSTRAINT "ports_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "ports_by_session" ON "ports" USING btree ("session_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);