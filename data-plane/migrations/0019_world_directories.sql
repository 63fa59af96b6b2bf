CREATE TABLE "snapshot_directories" (
	"snapshot_id" text NOT NULL,
	"path" text NOT NULL,
	CONSTRAINT "snapshot_directories_snapshot_id_path_pk" PRIMARY KEY("snapshot_id","path")
);
--> statement-breakpoint
CREATE TABLE "world_directories" (
	"session_id" text NOT NULL,
	"path" text NOT NULL,
	CONSTRAINT "world_directories_session_id_path_pk" PRIMARY KEY("session_id","path")
);
--> statement-breakpoint
ALTER TABLE "snapshot_files" ADD COLUMN "executable" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "world_files" ADD COLUMN "executable" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "snapshot_directories" ADD CONSTRAINT "snapshot_directories_snapshot_id_snapshots_id_fk" FOREIGN KEY ("snapshot_id") REFERENCES "public"."snapshots"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "world_directories" ADD CONSTRAINT "world_directories_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;