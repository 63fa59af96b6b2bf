CREATE TABLE "warm_sandboxes" (
	"name" text PRIMARY KEY NOT NULL,
	"profile" text NOT NULL,
	"network" text NOT NULL,
	"template" text NOT NULL,
	"ready_at" timestamp (3) with time zone,
	"uid" text,
	"node" text,
	"endpoint" text,
	"agent_public_key" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"session_id" text,
	"claimed_at" timestamp (3) with time zone,
	CONSTRAINT "warm_sandboxes_uid_unique" UNIQUE("uid"),
	CONSTRAINT "warm_sandboxes_session_id_unique" UNIQUE("session_id")
);
--> statement-breakpoint
CREATE TABLE "warm_wishes" (
	"profile" text NOT NULL,
	"network" text NOT NULL,
	"template" text NOT NULL,
	"size" integer NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "warm_wishes_profile_network_template_size_pk" PRIMARY KEY("profile","network","template","size")
);
--> statement-breakpoint
CREATE INDEX "warm_sandboxes_unclaimed" ON "warm_sandboxes" USING btree ("profile","network","template","created_at") WHERE "warm_sandboxes"."session_id" is null;