CREATE UNLOGGED TABLE "step_event_pieces" (
	"step_id" text NOT NULL,
	"number" integer NOT NULL,
	"bytes" "bytea" NOT NULL,
	CONSTRAINT "step_event_pieces_step_id_number_pk" PRIMARY KEY("step_id","number")
);
--> statement-breakpoint
-- The bytes stay for a moment only, so it is not worth compressing them.
ALTER TABLE "step_event_pieces" ALTER COLUMN "bytes" SET STORAGE EXTERNAL;
