import { expect, test } from 'vitest';
import { registrySettings } from './registry-settings.ts';

test('keeps what installers and clients read to find registries, proxies and certificates, in every spelling', () => {
  const env = {
    PIP_INDEX_URL: 'https://pip.example',
    UV_DEFAULT_INDEX: 'https://uv.example',
    npm_config_registry: 'https://npm.example',
    NPM_CONFIG_PROXY: 'http://proxy.example',
    HTTP_PROXY: 'http://a',
    https_proxy: 'http://b',
    no_proxy: 'localhost',
    ALL_PROXY: 'socks5://c',
    SSL_CERT_FILE: '/ca.pem',
    NODE_EXTRA_CA_CERTS: '/ca.pem',
  };
  expect(registrySettings(env)).toEqual(env);
});

test('drops everything else, empty variables, and what npm tells the scripts of its own package', () => {
  const env = {
    DATABASE_URL: 'postgres://secret',
    HOLDFAST_ENCRYPTION_KEY: 'secret',
    AWS_SECRET_ACCESS_KEY: 'secret',
    PIPELINE: 'x',
    MY_HTTP_PROXY: 'x',
    npm_config_noproxy: '',
    npm_config_local_prefix: '/checkout',
    npm_config_user_agent: 'npm/11',
    npm_package_name: 'holdfast',
    npm_lifecycle_event: 'start',
  };
  expect(registrySettings(env)).toEqual({});
});
