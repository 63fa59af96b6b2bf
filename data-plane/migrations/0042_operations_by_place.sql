DROP INDEX "operations_by_session";--> statement-breakpoint
CREATE INDEX "operations_by_place" ON "operations" USING btree ("session_id","place");