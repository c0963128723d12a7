import { ActionIcon, NavLink } from '@mantine/core'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { t } from '../i18n/words.ts'
import { useProjects } from '../projects/projects.ts'
import { Folder, Plus } from '../ui/icons.ts'
import classes from './sidebar.module.css'
import type { SidebarProps } from './sidebar.tsx'
import { SidebarSection } from './sidebar-section.tsx'

const ProjectSheet = lazy(() => import('../projects/project-sheet.tsx'))

/** The most projects that the column names; the others are on their page. */
const MAX_PROJECTS = 5

/** The projects; nothing on a server without them. */
export function ProjectEntries({ onLeave }: SidebarProps) {
  const { isOffered, rows: projects = [] } = useProjects()
  const { project: current } = useParams({ strict: false })
  const [isCreating, setCreating] = useState(false)
  const navigate = useNavigate()
  if (!isOffered) return null
  return (
    <SidebarSection
      id="projects"
      title={t('projects.title')}
      action={
        <ActionIcon
          variant="subtle"
          color="gray"
          size={24}
          aria-label={t('projects.create')}
          title={t('projects.create')}
          onClick={() => setCreating(true)}
        >
          <Plus size={14} aria-hidden />
        </ActionIcon>
      }
    >
      {projects.slice(0, MAX_PROJECTS).map(({ id, name }) => (
        <NavLink
          key={id}
          component={Link}
          to={`/projects/${id}`}
          label={
            <span className={classes.name} title={name}>
              {name}
            </span>
          }
          leftSection={<Folder size={16} aria-hidden />}
          active={current === id}
          onClick={onLeave}
          className={classes.entry}
        />
      ))}
      {projects.length > MAX_PROJECTS && (
        <Link to="/projects" className={classes.more} onClick={onLeave}>
          {t('projects.all')}
        </Link>
      )}
      {isCreating && (
        <Suspense>
          <ProjectSheet
            onSaved={({ id }) => {
              onLeave?.()
              void navigate({ to: `/projects/${id}` })
            }}
            onClose={() => setCreating(false)}
          />
        </Suspense>
      )}
    </SidebarSection>
  )
}
