ALTER TABLE "sessions" ADD COLUMN "policy" jsonb;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "policy_revision" integer DEFAULT 0 NOT NULL;