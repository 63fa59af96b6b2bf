ALTER TABLE "audit_entries" ALTER COLUMN "session_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "operations" ADD COLUMN "audited_arguments" jsonb;--> statement-breakpoint
CREATE INDEX "audit_entries_without_session" ON "audit_entries" USING btree ("tenant","time") WHERE "audit_entries"."session_id" is null;