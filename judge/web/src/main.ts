// The pages begin here, once their words are there.
import { mount } from 'svelte';
import App from './App.svelte';
import { router } from './lib/router.svelte';
import { settings } from './lib/settings.svelte';
import { tables } from './strings/tables.svelte';
import './styles/tokens.css';
import './styles/base.css';
import './styles/prose.css';

// The page's own code comes beside its words, not behind them.
if (router.place.page === 'task') void import('./pages/TaskPage.svelte');
if (router.place.page === 'map') void import('./pages/MapPage.svelte');
await tables.show(settings.lang);
mount(App, { target: document.getElementById('app') as HTMLElement });
