import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { piecesOf } from '../pieces.ts';
import type { Bucket } from './bucket.ts';

/** S3 accepts up to ten thousand parts of at least 5 MiB; some servers require all but the last to have the same size. */
const partBytes = 8 * 1024 * 1024;

type UploadInput = { key: string; source: AsyncIterable<Uint8Array>; signal?: AbortSignal | undefined };

/** Writes an object, in parts if it is larger than one. The object appears with the last request; a failure leaves no part behind. */
export async function uploadObject(bucket: Bucket, { key, source, signal }: UploadInput): Promise<void> {
  const parts = piecesOf(source, { bytes: partBytes });
  const first = (await parts.next()).value ?? Buffer.alloc(0);
  const second = first.length < partBytes ? undefined : (await parts.next()).value;
  if (!second) {
    await bucket.send(new PutObjectCommand({ ...bucket.at(key), Body: first }), signal);
    return;
  }
  const { UploadId } = await bucket.send(new CreateMultipartUploadCommand(bucket.at(key)), signal);
  const upload = { ...bucket.at(key), UploadId };
  try {
    const etags = [await uploadPart(bucket, { ...upload, PartNumber: 1, Body: first }, signal)];
    etags.push(await uploadPart(bucket, { ...upload, PartNumber: 2, Body: second }, signal));
    for await (const part of parts) {
      etags.push(await uploadPart(bucket, { ...upload, PartNumber: etags.length + 1, Body: part }, signal));
    }
    const Parts = etags.map((ETag, index) => ({ ETag, PartNumber: index + 1 }));
    await bucket.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }), signal);
  } catch (error) {
    await bucket.send(new AbortMultipartUploadCommand(upload)).catch(() => {});
    throw error;
  }
}

type Part = ConstructorParameters<typeof UploadPartCommand>[0];

async function uploadPart(bucket: Bucket, part: Part, signal: AbortSignal | undefined): Promise<string | undefined> {
  return (await bucket.send(new UploadPartCommand(part), signal)).ETag;
}
