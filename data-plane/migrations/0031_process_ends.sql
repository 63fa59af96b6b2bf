-- What the end of a process adds to its session, and whom it is told to, in the transaction that records it.
CREATE FUNCTION "note_process_end"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NEW."usage" IS NOT NULL THEN
		UPDATE "public"."sessions" SET
			"cpu_seconds" = "cpu_seconds" + (NEW."usage" ->> 'cpuSeconds')::double precision,
			"memory_bytes_max" = greatest("memory_bytes_max", (NEW."usage" ->> 'memoryBytesMax')::bigint)
		WHERE "id" = NEW."session_id";
	END IF;
	PERFORM "public"."queue_webhooks"(
		NEW."session_id", 'process.ended', NEW."id", jsonb_build_object(
			'number', NEW."number", 'actor', NEW."actor", 'status', NEW."status", 'exitCode', NEW."exit_code", 'signal', NEW."signal",
			'cause', NEW."cause", 'durationMs', extract(epoch FROM NEW."finished_at" - NEW."started_at") * 1000, 'usage', NEW."usage"));
	RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "processes_note_end" AFTER UPDATE OF "finished_at" ON "processes" FOR EACH ROW
WHEN (OLD."finished_at" IS NULL AND NEW."finished_at" IS NOT NULL)
EXECUTE FUNCTION "note_process_end"();
