import { S3Client, S3ServiceException, type ServiceInputTypes, type ServiceOutputTypes } from '@aws-sdk/client-s3';
import { Problem } from '@holdfast/specs/public';
import type { Secret } from '../../config/secret.ts';

export type S3Options = {
  bucket: string;
  /** Null for the region's endpoint at AWS. */
  endpoint: string | null;
  region: string;
  /** Prepended to every key. */
  prefix: string;
  /** The bucket is the first part of the URL's path, not of its host name. */
  pathStyle: boolean;
  /** Null for the credentials that the SDK finds itself, such as the role of the pod's service account. */
  keys: { id: string; secret: Secret } | null;
};

type Command<Input extends ServiceInputTypes, Output extends ServiceOutputTypes> = Parameters<
  typeof S3Client.prototype.send<Input, Output>
>[0];

export type Bucket = {
  name: string;
  prefix: string;
  at(key: string): { Bucket: string; Key: string };
  /** @throws Problem `storage-unavailable`, NotInBucket, or the signal's reason. */
  send<Input extends ServiceInputTypes, Output extends ServiceOutputTypes>(
    command: Command<Input, Output>,
    signal?: AbortSignal | undefined,
  ): Promise<Output>;
  close(): void;
};

/** There is no such object or upload. */
export class NotInBucket extends Error {
  override readonly name = 'NotInBucket';
}

/** Milliseconds. No request moves more than a few megabytes. */
const connectMs = 5000;
const requestMs = 60_000;

export function connectBucket({ bucket, endpoint, region, prefix, pathStyle, keys }: S3Options): Bucket {
  const client = new S3Client({
    region,
    ...(endpoint !== null && { endpoint }),
    forcePathStyle: pathStyle,
    ...(keys && { credentials: { accessKeyId: keys.id, secretAccessKey: keys.secret.reveal() } }),
    // Servers other than AWS's support the checksums of the protocol, but not always the ones that AWS added later.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: connectMs, requestTimeout: requestMs, throwOnRequestTimeout: true },
  });
  return {
    name: bucket,
    prefix,
    at: (key) => ({ Bucket: bucket, Key: `${prefix}${key}` }),
    async send(command, signal) {
      const timeout = AbortSignal.timeout(2 * requestMs);
      const abortSignal = signal ? AbortSignal.any([signal, timeout]) : timeout;
      try {
        return await client.send(command, { abortSignal });
      } catch (error) {
        signal?.throwIfAborted();
        throw translated(error, command.constructor.name);
      }
    },
    close: () => client.destroy(),
  };
}

/** The SDK's errors contain the request, including the key's id; only the server's answer may reach the log. */
function translated(error: unknown, command: string): Error {
  const { name, message } = error as Error;
  if (name === 'NoSuchKey' || name === 'NoSuchUpload') return new NotInBucket(`S3 answered ${command} with ${name}`);
  const status = error instanceof S3ServiceException ? ` ${error.$metadata.httpStatusCode ?? ''}` : '';
  const cause = new Error(`S3 failed at ${command}:${status} ${name} ${message.slice(0, 300)}`);
  return new Problem('storage-unavailable', { retryAfterSeconds: 5, cause });
}
