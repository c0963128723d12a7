import { Group, Switch, TextInput } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { useIssue } from '../ui/issues.tsx'
import { PublicAddress } from '../ui/public-address.tsx'
import { Secret } from '../ui/secret.tsx'
import type { Settings, Values } from './service.ts'

interface Props {
  settings: Settings
  values: Values
  onChange(changes: Partial<Values>): void
}

/** The fields of a service; some kinds have fields of their own. */
export function ServiceFields({ settings, values, onChange }: Props) {
  const { kind, redirect_uri, has_client_secret } = settings
  return (
    <>
      <Switch
        label={t('sso.enabled')}
        description={t('sso.enabled_help')}
        checked={values.enabled}
        onChange={(event) => onChange({ enabled: event.currentTarget.checked })}
      />
      <Text
        path="display_name"
        label={t('sso.name')}
        help={t('sso.name_help')}
        value={values.display_name}
        onChange={(display_name) => onChange({ display_name })}
      />
      {kind === 'oidc' && (
        <Text
          path="issuer"
          label={t('sso.issuer')}
          help={t('sso.issuer_help')}
          placeholder="https://"
          value={values.issuer ?? ''}
          onChange={(issuer) => onChange({ issuer: issuer || null })}
        />
      )}
      <Text
        path="client_id"
        label={t(kind === 'wecom' ? 'sso.corp_id' : 'sso.client_id')}
        help={t('sso.client_id_help')}
        value={values.client_id}
        onChange={(client_id) => onChange({ client_id })}
      />
      {kind === 'wecom' && (
        <Text
          path="agent_id"
          label={t('sso.agent_id')}
          help={t('sso.agent_id_help')}
          value={values.agent_id ?? ''}
          onChange={(agent_id) => onChange({ agent_id: agent_id || null })}
        />
      )}
      <SecretField
        isStored={has_client_secret}
        value={values.client_secret}
        onChange={(client_secret) => onChange({ client_secret })}
      />
      {kind === 'oidc' && (
        <Text
          path="scopes"
          label={t('sso.scopes')}
          help={t('sso.scopes_help')}
          value={values.scopes}
          onChange={(scopes) => onChange({ scopes })}
        />
      )}
      {redirect_uri !== null && <PublicAddress isNamedByServer />}
      {redirect_uri === null ? (
        <TextInput label={t('sso.redirect')} value="" error={t('sso.no_public_url')} readOnly />
      ) : (
        <Group gap="xs" align="flex-end" wrap="nowrap">
          <TextInput
            flex={1}
            label={t('sso.redirect')}
            description={t('sso.redirect_help')}
            value={redirect_uri}
            readOnly
          />
          <CopyButton text={redirect_uri} />
        </Group>
      )}
    </>
  )
}

interface TextProps {
  path: string
  label: string
  help: string
  placeholder?: string
  value: string
  onChange(value: string): void
}

const Text = ({ path, label, help, value, onChange, ...rest }: TextProps) => (
  <TextInput
    {...rest}
    label={label}
    description={help}
    value={value}
    error={useIssue(`/${path}`)}
    autoComplete="off"
    spellCheck={false}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
)

interface SecretFieldProps {
  isStored: boolean
  value: string | null
  onChange(value: string | null): void
}

const SecretField = ({ isStored, value, onChange }: SecretFieldProps) => (
  <Secret
    label={t('sso.client_secret')}
    description={t('sso.client_secret_help')}
    isStored={isStored}
    value={value ?? undefined}
    error={useIssue('/client_secret')}
    onChange={(value) => onChange(value ?? null)}
  />
)
