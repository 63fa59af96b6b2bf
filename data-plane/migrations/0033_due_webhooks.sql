DROP INDEX "webhook_deliveries_due";--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD COLUMN "is_due" boolean DEFAULT true NOT NULL;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_waiting" ON "webhook_deliveries" USING btree ("next_attempt_at") WHERE "webhook_deliveries"."status" = 'pending' and not "webhook_deliveries"."is_due";--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" USING btree ("tenant","webhook_id","next_attempt_at") WHERE "webhook_deliveries"."status" = 'pending' and "webhook_deliveries"."is_due";