CREATE TABLE "snapshot_files" (
	"snapshot_id" text NOT NULL,
	"path" text NOT NULL,
	"size" bigint NOT NULL,
	"sha256" "bytea" NOT NULL,
	CONSTRAINT "snapshot_files_snapshot_id_path_pk" PRIMARY KEY("snapshot_id","path")
);
--> statement-breakpoint
ALTER TABLE "snapshots" ALTER COLUMN "session_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "snapshots" ADD COLUMN "tenant" text;--> statement-breakpoint
ALTER TABLE "snapshots" ADD COLUMN "name" text;--> statement-breakpoint
ALTER TABLE "snapshots" ADD COLUMN "kept_bytes" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "snapshots" ADD COLUMN "files" jsonb;--> statement-breakpoint
ALTER TABLE "snapshot_files" ADD CONSTRAINT "snapshot_files_snapshot_id_snapshots_id_fk" FOREIGN KEY ("snapshot_id") REFERENCES "public"."snapshots"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "snapshot_files" ADD CONSTRAINT "snapshot_files_sha256_contents_sha256_fk" FOREIGN KEY ("sha256") REFERENCES "public"."contents"("sha256") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "snapshot_files_by_content" ON "snapshot_files" USING btree ("sha256");--> statement-breakpoint
CREATE UNIQUE INDEX "snapshots_by_name" ON "snapshots" USING btree ("tenant","name");--> statement-breakpoint
ALTER TABLE "snapshots" ADD CONSTRAINT "snapshots_have_an_owner" CHECK (("snapshots"."session_id" is null) = ("snapshots"."name" is not null) and ("snapshots"."name" is null) = ("snapshots"."tenant" is null));