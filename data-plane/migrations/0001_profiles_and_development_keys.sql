CREATE TABLE "development_keys" (
	"name" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "profile" text DEFAULT 'default' NOT NULL;