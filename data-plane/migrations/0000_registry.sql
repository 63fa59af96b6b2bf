CREATE TABLE "api_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant" text NOT NULL,
	"name" text NOT NULL,
	"scopes" jsonb NOT NULL,
	"hash" "bytea" NOT NULL,
	"hash_prefix" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	CONSTRAINT "api_keys_hash_prefix_unique" UNIQUE("hash_prefix")
);
--> statement-breakpoint
CREATE TABLE "contexts" (
	"session_id" text NOT NULL,
	"id" text NOT NULL,
	"language" text NOT NULL,
	"cwd" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "contexts_session_id_id_pk" PRIMARY KEY("session_id","id")
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"tenant" text NOT NULL,
	"key" text NOT NULL,
	"fingerprint" "bytea" NOT NULL,
	"replica_id" text,
	"resource_id" text NOT NULL,
	"status" integer,
	"response" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "idempotency_keys_tenant_key_pk" PRIMARY KEY("tenant","key")
);
--> statement-breakpoint
CREATE TABLE "replicas" (
	"id" text PRIMARY KEY NOT NULL,
	"slot" text NOT NULL,
	"heartbeat_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "replicas_slot_unique" UNIQUE("slot")
);
--> statement-breakpoint
CREATE TABLE "session_routes" (
	"session_id" text PRIMARY KEY NOT NULL,
	"epoch" integer NOT NULL,
	"sandbox_name" text NOT NULL,
	"sandbox_uid" text NOT NULL,
	"node" text NOT NULL,
	"endpoint" text NOT NULL,
	"agent_public_key" text NOT NULL,
	"token" text NOT NULL,
	"token_expires_at" timestamp (3) with time zone NOT NULL,
	"bound_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_seen_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "session_routes_sandbox_uid_unique" UNIQUE("sandbox_uid")
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant" text NOT NULL,
	"status" text NOT NULL,
	"language" text NOT NULL,
	"runtime" text NOT NULL,
	"network" text NOT NULL,
	"epoch" integer DEFAULT 1 NOT NULL,
	"metadata" jsonb NOT NULL,
	"env" text,
	"timeout_seconds" integer NOT NULL,
	"idle_timeout_seconds" integer NOT NULL,
	"step_count" integer DEFAULT 0 NOT NULL,
	"purged_step_number" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_activity_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"start_deadline_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"end_reason" text,
	"end_message" text,
	"sandbox_gone_at" timestamp (3) with time zone,
	"delete_requested_at" timestamp (3) with time zone,
	"next_look_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "steps" (
	"id" text PRIMARY KEY NOT NULL,
	"session_id" text NOT NULL,
	"number" integer NOT NULL,
	"context_id" text NOT NULL,
	"epoch" integer NOT NULL,
	"context_epoch" integer,
	"actor" text NOT NULL,
	"language" text NOT NULL,
	"code" text NOT NULL,
	"status" text NOT NULL,
	"outcome" jsonb,
	"cause" jsonb,
	"truncated" boolean DEFAULT false NOT NULL,
	"events" "bytea",
	"execution_count" integer,
	"fingerprint" "bytea",
	"replica_id" text,
	"timeout_ms" integer NOT NULL,
	"queued_at" timestamp (3) with time zone NOT NULL,
	"started_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	"duration_ms" double precision
);
--> statement-breakpoint
CREATE TABLE "ticks" (
	"name" text PRIMARY KEY NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tombstones" (
	"session_id" text PRIMARY KEY NOT NULL,
	"tenant" text NOT NULL,
	"deleted_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "contexts" ADD CONSTRAINT "contexts_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "session_routes" ADD CONSTRAINT "session_routes_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "steps" ADD CONSTRAINT "steps_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "idempotency_keys_by_age" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "sessions_by_tenant" ON "sessions" USING btree ("tenant","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "sessions_by_metadata" ON "sessions" USING gin ("metadata" jsonb_path_ops);--> statement-breakpoint
CREATE INDEX "sessions_live" ON "sessions" USING btree ("tenant") WHERE "sessions"."status" in ('creating', 'active');--> statement-breakpoint
CREATE INDEX "sessions_due" ON "sessions" USING btree ("next_look_at") WHERE "sessions"."sandbox_gone_at" is null or "sessions"."delete_requested_at" is not null;--> statement-breakpoint
CREATE INDEX "sessions_at_rest" ON "sessions" USING btree ("ended_at") WHERE "sessions"."sandbox_gone_at" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "steps_by_number" ON "steps" USING btree ("session_id","number");--> statement-breakpoint
CREATE INDEX "steps_unfinished" ON "steps" USING btree ("session_id","replica_id") WHERE "steps"."replica_id" is not null;