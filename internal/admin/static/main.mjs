// Every page loads this; each part looks whether it is there.

import { startApprovals } from "./approve.mjs";
import { startAsk, startChanges } from "./asking.mjs";
import { startEnrol, startSignIn } from "./door.mjs";
import { ownTimes, ready } from "./page.mjs";
import { startPush, startWorker } from "./push.mjs";
import { startWaiting } from "./waiting.mjs";

ownTimes();
startSignIn();
startEnrol();
startApprovals();
startWaiting();
startAsk();
startChanges();
startWorker();
startPush();
ready();
