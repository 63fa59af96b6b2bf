ALTER TABLE "proposal_changes" ADD COLUMN "before_mode" text;--> statement-breakpoint
ALTER TABLE "proposal_changes" ADD COLUMN "before_target" text;--> statement-breakpoint
ALTER TABLE "proposal_changes" ADD COLUMN "after_mode" text;--> statement-breakpoint
ALTER TABLE "proposal_changes" ADD COLUMN "after_target" text;--> statement-breakpoint
ALTER TABLE "snapshot_files" ADD COLUMN "mode" text;--> statement-breakpoint
ALTER TABLE "snapshot_files" ADD COLUMN "target" text;--> statement-breakpoint
ALTER TABLE "world_files" ADD COLUMN "mode" text;--> statement-breakpoint
ALTER TABLE "world_files" ADD COLUMN "target" text;