ALTER TABLE "replicas" ADD COLUMN "beating_since" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "steps" ADD COLUMN "assigned_at" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "steps" ADD COLUMN "admission_id" text;