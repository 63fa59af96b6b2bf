import {
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
} from '@aws-sdk/client-s3';
import { type Bucket, NotInBucket } from './bucket.ts';

/** Deletes the parts that interrupted uploads of these keys left behind. */
export async function abandonUploads(bucket: Bucket, keys: readonly string[]): Promise<void> {
  const wanted = new Set(keys.map((key) => bucket.at(key).Key));
  let marker: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | null = {};
  while (marker) {
    const page: ListMultipartUploadsCommandOutput = await bucket.send(
      new ListMultipartUploadsCommand({ Bucket: bucket.name, Prefix: bucket.prefix, ...marker }),
    );
    for (const { Key, UploadId } of page.Uploads ?? []) {
      if (!Key || !UploadId || !wanted.has(Key)) continue;
      await bucket.send(new AbortMultipartUploadCommand({ Bucket: bucket.name, Key, UploadId })).catch(unlessGone);
    }
    marker = page.IsTruncated ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker } : null;
  }
}

function unlessGone(error: unknown): void {
  if (!(error instanceof NotInBucket)) throw error;
}
