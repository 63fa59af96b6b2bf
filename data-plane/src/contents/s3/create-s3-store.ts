import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import type { ObjectStore } from '../object-store.ts';
import { abandonUploads } from './abandon-uploads.ts';
import { connectBucket, type S3Options } from './bucket.ts';
import { readObject } from './read-object.ts';
import { uploadObject } from './upload-object.ts';

/**
 * Stores objects in a bucket. It needs these permissions there: `s3:PutObject`, `s3:GetObject`, `s3:DeleteObject`,
 * `s3:AbortMultipartUpload` and, on the bucket, `s3:ListBucketMultipartUploads`.
 */
export function createS3Store(options: S3Options): ObjectStore & { close(): void } {
  const bucket = connectBucket(options);
  return {
    name: 's3',
    put: (key, source, signal) => uploadObject(bucket, { key, source, signal }),
    get: (key, range) => readObject(bucket, { key, range }),
    async delete(keys) {
      await abandonUploads(bucket, keys);
      await Promise.all(keys.map((key) => bucket.send(new DeleteObjectCommand(bucket.at(key)))));
    },
    close: bucket.close,
  };
}
