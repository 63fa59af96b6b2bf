CREATE TABLE "artifacts" (
	"id" text PRIMARY KEY NOT NULL,
	"session_id" text NOT NULL,
	"step_id" text NOT NULL,
	"path" text NOT NULL,
	"role" text NOT NULL,
	"change" text NOT NULL,
	"size" bigint,
	"sha256" "bytea",
	"mime_type" text,
	"concurrent" boolean NOT NULL,
	"omission" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "content_pieces" (
	"content_id" text NOT NULL,
	"number" integer NOT NULL,
	"bytes" "bytea" NOT NULL,
	CONSTRAINT "content_pieces_content_id_number_pk" PRIMARY KEY("content_id","number")
);
--> statement-breakpoint
CREATE TABLE "contents" (
	"id" text PRIMARY KEY NOT NULL,
	"sha256" "bytea",
	"size" bigint DEFAULT 0 NOT NULL,
	"store" text NOT NULL,
	"touched_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "contents_sha256_unique" UNIQUE("sha256")
);
--> statement-breakpoint
CREATE TABLE "world_files" (
	"session_id" text NOT NULL,
	"path" text NOT NULL,
	"size" bigint NOT NULL,
	"sha256" "bytea" NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "world_files_session_id_path_pk" PRIMARY KEY("session_id","path")
);
--> statement-breakpoint
ALTER TABLE "steps" ALTER COLUMN "context_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "steps" ADD COLUMN "job" jsonb;--> statement-breakpoint
ALTER TABLE "artifacts" ADD CONSTRAINT "artifacts_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "artifacts" ADD CONSTRAINT "artifacts_sha256_contents_sha256_fk" FOREIGN KEY ("sha256") REFERENCES "public"."contents"("sha256") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "content_pieces" ADD CONSTRAINT "content_pieces_content_id_contents_id_fk" FOREIGN KEY ("content_id") REFERENCES "public"."contents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "world_files" ADD CONSTRAINT "world_files_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "world_files" ADD CONSTRAINT "world_files_sha256_contents_sha256_fk" FOREIGN KEY ("sha256") REFERENCES "public"."contents"("sha256") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "artifacts_by_session" ON "artifacts" USING btree ("session_id","created_at","id");--> statement-breakpoint
CREATE INDEX "artifacts_by_step" ON "artifacts" USING btree ("step_id");--> statement-breakpoint
CREATE INDEX "artifacts_by_content" ON "artifacts" USING btree ("sha256") WHERE "artifacts"."sha256" is not null;--> statement-breakpoint
CREATE INDEX "contents_unnamed" ON "contents" USING btree ("store","touched_at") WHERE "contents"."sha256" is null;--> statement-breakpoint
CREATE INDEX "world_files_by_content" ON "world_files" USING btree ("sha256");--> statement-breakpoint
-- Pieces are mostly compressed already, and a piece that is not compressed is read in part without the rest.
ALTER TABLE "content_pieces" ALTER COLUMN "bytes" SET STORAGE EXTERNAL;--> statement-breakpoint
-- What lies below a directory is one range of paths that are ordered by bytes.
ALTER TABLE "world_files" ALTER COLUMN "path" SET DATA TYPE text COLLATE "C";
