import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { ConfigError } from './parse-config.ts';
import { parseMigrationConfig } from './parse-migration-config.ts';

const owner = { HOLDFAST_MIGRATION_DATABASE_URL: 'postgres://owner:one@host/records' };
const program = { DATABASE_URL: 'postgres://data%2Dplane:p%40ss@host/records' };

test('with one URL its role owns the tables, and no other gets rights', () => {
  const { ownerUrl, program: other } = parseMigrationConfig({ ...program, HOLDFAST_MIGRATION_DATABASE_URL: '' });
  expect([ownerUrl.reveal(), other]).toEqual([program.DATABASE_URL, null]);
});

test('with both, the role of DATABASE_URL gets rights, and no other variable is read', () => {
  const config = parseMigrationConfig({ ...owner, ...program, HOLDFAST_ENV: 'production', HOLDFAST_TYPO: '1' });
  expect(config.ownerUrl.reveal()).toBe(owner.HOLDFAST_MIGRATION_DATABASE_URL);
  expect(config.program).toMatchObject({ name: 'data-plane' });
  expect(config.program?.password.reveal()).toBe('p@ss');
  expect(inspect(config, { depth: 9, showHidden: true })).not.toMatch(/p@ss|one/);
});

test.each([
  [{}, 'DATABASE_URL is required'],
  [owner, 'DATABASE_URL is required'],
  [{ ...owner, DATABASE_URL: 'postgres://host/records' }, 'DATABASE_URL must name a user'],
  [
    { ...program, HOLDFAST_MIGRATION_DATABASE_URL: 'postgres://h/r?ssl=true' },
    'HOLDFAST_MIGRATION_DATABASE_URL has the parameter',
  ],
])('a fault names its variable (%o)', (env, fault) => {
  expect(() => parseMigrationConfig(env)).toThrow(ConfigError);
  expect(() => parseMigrationConfig(env)).toThrow(fault);
});
