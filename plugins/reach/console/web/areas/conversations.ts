// The pages that find and order conversations, which are loaded together.

export { default as ArchivedPage } from '../conversations/archived-page.tsx'
export { default as ProjectPage } from '../projects/project-page.tsx'
export { default as ProjectsPage } from '../projects/projects-page.tsx'
export { default as SearchPage } from '../search/search-page.tsx'
