CREATE TABLE "mcp_sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant" text NOT NULL,
	"key_id" text,
	"client_name" text,
	"session_key" text,
	"session_id" text,
	"last_used_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "mcp_sessions_by_tenant" ON "mcp_sessions" USING btree ("tenant","last_used_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "mcp_sessions_unused" ON "mcp_sessions" USING btree ("last_used_at");