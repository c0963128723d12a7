import { Button, Menu, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { components } from '#client'
import { formatBytes } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { useRows } from '../server/pages.ts'
import { refresh, send } from '../server/send.ts'
import { may, useAccount } from '../session/account.ts'
import { SkillEditor } from '../skills/skill-editor.tsx'
import { Empty } from '../ui/empty.tsx'
import { Failure } from '../ui/failure.tsx'
import { Package, Plus } from '../ui/icons.ts'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { RowMenu } from '../ui/row-menu.tsx'
import { Toggle } from '../ui/toggle.tsx'
import { useAction } from '../ui/use-action.ts'
import { SkillCopy } from './skill-copy.tsx'
import { SkillPush } from './skill-push.tsx'
import { useLoadedAgent } from './use-agent.ts'

type Skill = components['schemas']['AgentSkill']

/** The skills of an agent, with their editor. */
export default function SkillsTab() {
  const { agent } = useLoadedAgent()
  const account = useAccount()
  const path = { id: agent.id }
  const skills = useRows('/agents/{id}/skills', { path })
  const [open, setOpen] = useState<{ dialog: 'new' | 'copy' } | { dialog: 'edit' | 'push'; skill: Skill }>()
  const { error, run } = useAction()
  const close = () => setOpen(undefined)
  const editor = { list: '/agents/{id}/skills', id: agent.id, onClose: close } as const

  const enable = ({ slug }: Skill, enabled: boolean) => {
    const init = { params: { path: { ...path, slug } }, body: { enabled } }
    const update = send(client.PATCH('/agents/{id}/skills/{slug}', init))
    return run(() => update.finally(() => refresh('/agents/{id}/skills')))
  }
  const remove = async ({ slug }: Skill) => {
    await send<unknown>(client.DELETE('/agents/{id}/skills/{slug}', { params: { path: { ...path, slug } } }))
    await refresh('/agents/{id}/skills')
  }
  const add = (
    <>
      <Button
        variant="default"
        leftSection={<Package size={16} />}
        onClick={() => setOpen({ dialog: 'copy' })}
      >
        {t('agents.skills_from_package')}
      </Button>
      <Button variant="default" leftSection={<Plus size={16} />} onClick={() => setOpen({ dialog: 'new' })}>
        {t('agents.skill_new')}
      </Button>
    </>
  )

  return (
    <Stack gap="md">
      <Text size="sm" c="var(--meta)">
        {t('agents.skills_about')}
      </Text>
      {error !== undefined && <Failure error={error} />}
      <List
        {...skills}
        label={t('agents.skills')}
        keyOf={({ slug }) => slug}
        textOf={({ slug, name, description }) => `${slug} ${name} ${description}`}
        controls={add}
        empty={
          <Empty title={t('agents.no_skills')} action={add}>
            {t('agents.skills_about')}
          </Empty>
        }
      >
        {(skill) => (
          <ListRow
            title={skill.name}
            meta={
              <>
                <div>{skill.description}</div>
                {t('agents.skill_files', { count: skill.files })} · {formatBytes(skill.bytes)}
              </>
            }
            onOpen={() => setOpen({ dialog: 'edit', skill })}
          >
            <Toggle
              aria-label={skill.name}
              checked={skill.enabled}
              onToggle={(checked) => enable(skill, checked)}
            />
            <RowMenu
              name={skill.name}
              onEdit={() => setOpen({ dialog: 'edit', skill })}
              deletion={{ about: t('agents.skill_delete_about'), run: () => remove(skill) }}
            >
              {may(account, 'skill_packages') && (
                <Menu.Item onClick={() => setOpen({ dialog: 'push', skill })}>
                  {t('agents.skill_push')}
                </Menu.Item>
              )}
            </RowMenu>
          </ListRow>
        )}
      </List>
      {open?.dialog === 'new' && <SkillEditor {...editor} />}
      {open?.dialog === 'edit' && <SkillEditor {...editor} slug={open.skill.slug} />}
      {open?.dialog === 'copy' && <SkillCopy agentId={agent.id} onClose={close} />}
      {open?.dialog === 'push' && <SkillPush agentId={agent.id} slug={open.skill.slug} onClose={close} />}
    </Stack>
  )
}
