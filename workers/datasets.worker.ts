/** Imports data sets: a thin comlink service over the importers and the store. */
import { expose } from 'comlink';
import { createDatasetService } from './dataset-service';

expose(createDatasetService());
