import { expect, test } from 'vitest';
import { parseDatabaseUrl, tlsOptions } from './parse-database-url.ts';

const parse = (parameters: string) => parseDatabaseUrl(`postgres://me:secret@db.example.com/records?${parameters}`);

test('a URL without parameters stays as it is, without TLS', () => {
  const url = 'postgres://me:p%40ss@db.example.com:5433/records';
  expect(parseDatabaseUrl(url)).toEqual({ url, host: null, mode: 'disable', rootCertificates: null });
});

test('parameters of the connection are taken out, and settings of the server stay', () => {
  const given = parse('sslmode=verify-full&lock_timeout=5s&sslrootcert=/etc/ca.crt');
  expect(given).toEqual({
    url: 'postgres://me:secret@db.example.com/records?lock_timeout=5s',
    host: null,
    mode: 'verify-full',
    rootCertificates: '/etc/ca.crt',
  });
});

test.each([
  ['sslmode=disable', false],
  ['sslmode=', false],
  ['sslmode=allow', 'prefer'],
  ['sslmode=prefer', 'prefer'],
  ['sslmode=require', 'require'],
  ['sslmode=verify-full', { rejectUnauthorized: true }],
  ['sslmode=verify-full&sslrootcert=system', { rejectUnauthorized: true }],
  ['sslmode=prefer&host=/run/postgres', false],
  ['sslmode=verify-full&host=replica.example.com', { rejectUnauthorized: true }],
])('%s becomes the option of the driver', (parameters, expected) => {
  expect(tlsOptions(parse(parameters))).toEqual(expected);
});

test('as with libpq, certificates turn require into verify-ca', () => {
  expect(parse('sslmode=require&sslrootcert=/etc/ca.crt').mode).toBe('verify-ca');
});

test.each([
  ['sslmode=verify_full', /an sslmode that is none of disable, allow, prefer, require, verify-ca, verify-full/],
  ['sslmode=verify-full&sslmode=disable', /sslmode more than once/],
  ['sslrootcert=/etc/ca.crt', /sslrootcert, which needs sslmode=verify-full/],
  ['sslmode=prefer&sslrootcert=/etc/ca.crt', /sslrootcert, which needs sslmode=verify-full/],
  ['sslmode=verify-ca', /verify-ca, which needs sslrootcert/],
  ['sslmode=verify-ca&sslrootcert=system', /sslrootcert=system, which needs sslmode=verify-full/],
  ['sslmode=require&sslrootcert=system', /sslrootcert=system, which needs sslmode=verify-full/],
  ['sslmode=verify-full&host=/run/postgres', /demands TLS, which a Unix socket does not have/],
  ['ssl=true', /the parameter ssl, which is not supported/],
  ['sslmode=verify-full&sslcrl=/etc/crl', /the parameter sslcrl, which is not supported/],
  ['sslmode=require&channel_binding=require', /the parameter channel_binding, which is not supported/],
  ['gssencmode=require', /the parameter gssencmode, which is not supported/],
])('%s is refused, because it demands more than is done', (parameters, message) => {
  expect(() => parse(parameters)).toThrow(message);
});

test.each(['mysql://host/records', 'postgres://host:port/records', 'host=db.example.com'])('%s is refused', (url) => {
  expect(() => parseDatabaseUrl(url)).toThrow('must be a URL that begins with postgres://');
});

test('a password with a bare percent sign is refused with the reason', () => {
  expect(() => parseDatabaseUrl('postgres://me:100%@host/records')).toThrow('has a % that encodes nothing');
  expect(() => parseDatabaseUrl('postgres://me:100%25@host/records')).not.toThrow();
});
