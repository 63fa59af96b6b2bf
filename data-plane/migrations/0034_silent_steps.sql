ALTER TABLE "snapshots" ADD COLUMN "silent_count" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "steps" ADD COLUMN "is_silent" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "steps" ADD COLUMN "silent_count" integer;--> statement-breakpoint
ALTER TABLE "steps" ADD COLUMN "expressions" jsonb;