CREATE TABLE "facts" (
	"session_id" text NOT NULL,
	"subject" text NOT NULL,
	"predicate" text NOT NULL,
	"object" text NOT NULL,
	"digest" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "facts_session_id_subject_predicate_digest_pk" PRIMARY KEY("session_id","subject","predicate","digest")
);
--> statement-breakpoint
CREATE TABLE "memos" (
	"session_id" text NOT NULL,
	"key" text NOT NULL,
	"value" text NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "memos_session_id_key_pk" PRIMARY KEY("session_id","key")
);
--> statement-breakpoint
CREATE TABLE "operations" (
	"id" text PRIMARY KEY NOT NULL,
	"session_id" text NOT NULL,
	"step_id" text NOT NULL,
	"call" integer NOT NULL,
	"name" text NOT NULL,
	"arguments" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"answer" text,
	"fingerprint" "bytea",
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"deadline" timestamp (3) with time zone NOT NULL,
	"answered_at" timestamp (3) with time zone,
	"answered_by" text,
	"delivered_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "steps" ADD COLUMN "parent_step_id" text;--> statement-breakpoint
ALTER TABLE "facts" ADD CONSTRAINT "facts_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memos" ADD CONSTRAINT "memos_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operations" ADD CONSTRAINT "operations_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "operations_by_session" ON "operations" USING btree ("session_id","created_at","id");--> statement-breakpoint
CREATE INDEX "operations_by_step" ON "operations" USING btree ("step_id");--> statement-breakpoint
CREATE INDEX "operations_pending" ON "operations" USING btree ("session_id") WHERE "operations"."status" = 'pending';