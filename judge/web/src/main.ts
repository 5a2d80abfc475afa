// The pages begin here, once their words are there.
import { mount } from 'svelte';
import App from './App.svelte';
import { prefetch } from './api/tasks';
import { router } from './lib/router.svelte';
import { session } from './lib/session.svelte';
import { settings } from './lib/settings.svelte';
import { tables } from './strings/tables.svelte';
import './styles/tokens.css';
import './styles/base.css';
import './styles/prose.css';

// The page's own code and what it shows come beside its words, not behind them.
void session.load();
const { place } = router;
if (place.page === 'task') {
  prefetch(place.id, settings.lang);
  void import('./pages/TaskPage.svelte');
}
if (place.page === 'map') void import('./pages/MapPage.svelte');
await tables.show(settings.lang);
mount(App, { target: document.getElementById('app') as HTMLElement });
