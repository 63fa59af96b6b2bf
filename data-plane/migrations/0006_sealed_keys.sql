CREATE TABLE "sealed_keys" (
	"name" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL
);
